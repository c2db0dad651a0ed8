#!/bin/sh
# Backs the store up into a folder and deletes the backups in it that are older than some days: backup.sh FOLDER DAYS
set -eu
folder=$1
days=$2

lootkeep backup "$folder/$(date -u +%Y-%m-%dT%H%M%SZ).backup"
# After the new one is complete: while backups fail, the old ones stay.
find "$folder" -maxdepth 1 -name '*.backup' -mtime "+$days" -delete
