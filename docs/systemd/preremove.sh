#!/bin/sh
# Before the package is removed (dpkg says "remove", rpm says 0), not before an upgrade.
set -e
case "$1" in
remove | 0)
  if [ -d /run/systemd/system ]; then
    systemctl disable --now ativa.service
  fi
  ;;
esac
