// The colors of the report in the editor: those of its theme, in place of the page's own.

import * as vscode from "vscode";

/** The page's variables, as far as themes have colors for them. */
const THEME = `
:root {
  --ground: var(--vscode-editor-background); --card: var(--vscode-editorWidget-background, var(--vscode-editor-background));
  --text: var(--vscode-editor-foreground); --soft: var(--vscode-descriptionForeground);
  --line: var(--vscode-widget-border, var(--vscode-panel-border)); --code: var(--vscode-textCodeBlock-background);
  --link: var(--vscode-textLink-foreground); --focus: var(--vscode-focusBorder); --hover: var(--vscode-list-hoverBackground);
}
body { font-family: var(--vscode-font-family); padding: 0; }
/* The editor's own style for code is another one. */
code { color: inherit; background: var(--code); }
pre, pre code { color: inherit; background-image: none; }
pre { font-family: var(--vscode-editor-font-family); }
`;

/** What the page's own rules for `vscode-high-contrast` leave to the theme: verdicts, on its background. */
const HIGH_CONTRAST = `
:root {
  --pass-soft: var(--ground); --borderline-soft: var(--ground); --fail-soft: var(--ground); --error-soft: var(--ground); --none-soft: var(--ground);
}
.gate, .broken { border: 1px solid currentColor; }
.meter .track { stroke: var(--line); }
`;
const ON_BLACK = `:root {
  --pass: #7ee787; --borderline: #f2cc60; --fail: #ff9d95; --error: #e2b6ff; --none: #ffffff;
  --pass-fill: #7ee787; --borderline-fill: #f2cc60; --fail-fill: #ff9d95; --error-fill: #e2b6ff; --none-fill: #c8c8c8;
}`;
const ON_WHITE = `:root {
  --pass: #0b5428; --borderline: #5e3c00; --fail: #8f110a; --error: #561a7c; --none: #000000;
  --pass-fill: #0b5428; --borderline-fill: #5e3c00; --fail-fill: #8f110a; --error-fill: #561a7c; --none-fill: #4a4a4a;
}`;

/** The style of a report as it is in a theme. */
export function inTheme(style: string, kind: vscode.ColorThemeKind): string {
  const { Dark, HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const isDark = kind === Dark || kind === HighContrast;
  const contrast: Partial<Record<vscode.ColorThemeKind, string>> = { [HighContrast]: HIGH_CONTRAST + ON_BLACK, [HighContrastLight]: HIGH_CONTRAST + ON_WHITE };
  return (
    style
      // Conditions that hold always, and never; the words `all` and `not all` may not follow `screen and`.
      .replaceAll("(prefers-color-scheme: dark)", isDark ? "(min-width: 0)" : "(max-width: 0)")
      .replace("color-scheme: light dark", `color-scheme: ${isDark ? "dark" : "light"}`) +
    THEME +
    (contrast[kind] ?? "")
  );
}
