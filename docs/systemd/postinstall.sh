#!/bin/sh
# After the package is installed or upgraded: restart the service if it runs. A new service
# is not started, because /etc/ativa/ativa.env must be filled in first.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart ativa.service
fi
