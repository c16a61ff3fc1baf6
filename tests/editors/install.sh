#!/usr/bin/env bash
# Installs from Debian the editors that tests/editors starts, and the browser that shows VS Code.
# Where this is not root on Debian, it ends with 1 and says what to install.
set -euo pipefail
packages=(
  chromium fonts-dejavu-core
  emacs-nox elpa-eglot elpa-lsp-mode elpa-yaml-mode
  vim vim-ale
  tmux
)
missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Editors are missing. Install them first, as with:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "Installing from Debian: ${missing[*]} ..."
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
