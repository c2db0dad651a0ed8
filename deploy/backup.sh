#!/bin/sh
# Backs up the store into a folder and deletes backups there that are older than DAYS: backup.sh FOLDER DAYS
set -eu
folder=$1
days=$2

lootkeep backup "$folder/$(date -u +%Y-%m-%dT%H%M%SZ).backup"
# Only after the new backup is complete: while backups fail, the old ones stay.
find "$folder" -maxdepth 1 \( -name '*.backup' -o -name '.*.backup.*.part' \) -mtime "+$days" -delete
