// The colours of frontend/src/ui/theme.css: in light-dark() the light one first.
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(oklch(0.975 0.009 85), oklch(0.172 0.024 262));
  --raised: light-dark(oklch(0.992 0.005 85), oklch(0.238 0.028 262));
  --hover: light-dark(oklch(0.925 0.015 85), oklch(0.268 0.03 262));
  --line: light-dark(oklch(0.885 0.015 85), oklch(0.292 0.026 262));
  --control: light-dark(oklch(0.61 0.022 80), oklch(0.545 0.03 262));
  --ink: light-dark(oklch(0.25 0.028 262), oklch(0.94 0.012 88));
  --muted: light-dark(oklch(0.465 0.022 262), oklch(0.745 0.02 262));
  --accent: light-dark(oklch(0.505 0.1 76), oklch(0.805 0.112 84));
  --accent-hover: light-dark(oklch(0.455 0.093 74), oklch(0.855 0.108 87));
  --accent-soft: light-dark(oklch(0.945 0.035 88), oklch(0.27 0.035 80));
  --on-accent: light-dark(oklch(0.99 0.008 88), oklch(0.2 0.035 75));
  --cool: light-dark(oklch(0.465 0.105 240), oklch(0.79 0.095 225));
  --danger: light-dark(oklch(0.49 0.165 27), oklch(0.745 0.135 25));
  --danger-soft: light-dark(oklch(0.945 0.025 27), oklch(0.265 0.055 22));
  --success: light-dark(oklch(0.46 0.1 155), oklch(0.79 0.12 158));
  --float: 0 1px 2px light-dark(oklch(0.3 0.03 80 / 0.08), oklch(0.05 0.02 262 / 0.5)),
    0 12px 32px -8px light-dark(oklch(0.3 0.03 80 / 0.2), oklch(0.05 0.02 262 / 0.7));
}
* { box-sizing: border-box; }
html { background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100dvh; padding: 1.5rem 1rem 3rem;
  font: 1rem/1.65 "Hanken Grotesk Variable", system-ui, sans-serif; -webkit-font-smoothing: antialiased;
}
body > * { width: 100%; max-width: 28rem; margin-inline: auto; }
body.wide > * { max-width: 60rem; }
header { display: flex; align-items: center; gap: 0.6rem; padding: 0.5rem 0 1.25rem; }
header svg { width: 1.75rem; height: 1.75rem; color: var(--accent); }
header strong { font-size: 1.125rem; letter-spacing: 0.08em; }
.notice, .alert { margin-bottom: 1rem; padding: 0.6rem 1rem; border-radius: 8px; font-size: 0.875rem; }
.notice { background: var(--accent-soft); }
.notice strong { color: var(--accent); }
.alert { background: var(--danger-soft); color: var(--danger); font-weight: 500; }
main, section.card {
  background: var(--raised); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--float);
  padding: clamp(1.25rem, 5vw, 2rem);
}
main.plain { background: none; border: 0; box-shadow: none; padding: 0; }
section.card { margin-bottom: 1.25rem; box-shadow: none; }
h1 { margin: 0; font-size: 1.25rem; line-height: 1.75rem; text-wrap: balance; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1rem; }
section.card h2:first-child { margin-top: 0; }
p { margin: 0.5rem 0; }
.muted, dt, th, footer { color: var(--muted); font-size: 0.875rem; }
.price { margin: 0.75rem 0 0; font-size: clamp(2.5rem, 1.75rem + 3vw, 3.25rem); line-height: 1.05; letter-spacing: -0.03em; font-weight: 600; }
.price small { font-size: 1rem; letter-spacing: 0; font-weight: 400; color: var(--muted); }
dl { margin: 1.25rem 0; border-top: 1px solid var(--line); }
dl div { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; white-space: nowrap; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 500; }
th:last-child, td:last-child { padding-right: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.actions { display: grid; gap: 0.6rem; margin-top: 1.5rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
td .row { flex-wrap: nowrap; margin: 0; }
form { margin: 0; }
button {
  width: 100%; min-height: 2.75rem; padding: 0 1rem; border: 1px solid transparent; border-radius: 8px;
  font: inherit; font-size: 0.875rem; font-weight: 500; cursor: pointer; transition: background-color 150ms ease-out;
}
.row button { width: auto; min-height: 2.25rem; padding: 0 0.75rem; }
button.primary { background: var(--accent); color: var(--on-accent); }
button.primary:hover { background: var(--accent-hover); }
button.secondary { background: none; border-color: var(--control); color: var(--ink); }
button.secondary:hover { background: var(--hover); }
button.danger { background: none; border-color: var(--danger); color: var(--danger); }
button.danger:hover { background: var(--danger-soft); }
a { color: var(--cool); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--cool); outline-offset: 2px; }
footer { padding-top: 1.25rem; }
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { display: grid; grid-template-columns: 1fr auto; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.1rem 0; border: 0; }
  td:nth-child(1) { grid-area: 1 / 1; } td:nth-child(4) { grid-area: 1 / 2; }
  td:nth-child(2) { grid-area: 2 / 1; color: var(--muted); } td:nth-child(3) { grid-area: 2 / 2; text-align: right; }
  td:nth-child(5) { grid-column: 1 / -1; padding-top: 0.4rem; }
  td .row { flex-wrap: wrap; }
}
@media (pointer: coarse) { .row button { min-height: 2.75rem; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media print { .notice, .actions, .row { display: none; } body { padding: 0; } main { border: 0; box-shadow: none; } }
`;
