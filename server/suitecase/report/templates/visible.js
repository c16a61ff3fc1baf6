const visible = (text) => String(text).replace(INVISIBLE, (found, ordinary) =>
  ordinary ?? "[U+" + found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");
