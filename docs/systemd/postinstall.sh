#!/bin/sh
# After the package is installed or upgraded: a service that runs goes on with the new
# program. Nothing is started that did not run: /etc/ativa/ativa.env is filled in first.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart ativa.service
fi
