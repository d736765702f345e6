#!/bin/sh
# After the package is removed, purged or upgraded. No removal deletes the database.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
if [ "$1" = purge ] && [ -e /var/lib/ativa ]; then
  echo "ativa: the database stays in $(readlink -f /var/lib/ativa); delete it when nobody needs it"
fi
