import { t } from 'virtual:texts/markdown';

/** Names of languages that are not the written word with a capital. */
const titles: Readonly<Record<string, string>> = {
  'c#': 'C#',
  'c++': 'C++',
  cjs: 'JavaScript',
  cpp: 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  ex: 'Elixir',
  golang: 'Go',
  gql: 'GraphQL',
  graphql: 'GraphQL',
  hcl: 'HCL',
  hs: 'Haskell',
  html: 'HTML',
  ini: 'INI',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsonc: 'JSON',
  jsx: 'JSX',
  kt: 'Kotlin',
  latex: 'LaTeX',
  md: 'Markdown',
  mjs: 'JavaScript',
  patch: 'Diff',
  php: 'PHP',
  powershell: 'PowerShell',
  ps1: 'PowerShell',
  py: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  scss: 'SCSS',
  sh: 'Bash',
  sql: 'SQL',
  svg: 'SVG',
  tex: 'LaTeX',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TSX',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
};

/** The title of a code block: `TypeScript` for `ts`, `Rust` for `rust`, and any other text unchanged. */
export function languageTitle(written: string, code = ''): string {
  const name = written.toLowerCase();
  if (name === 'xml' && /^\s*<svg[\s>]/.test(code)) return 'SVG';
  if (name === 'mermaid') return t('diagram');
  if (Object.hasOwn(titles, name)) return titles[name] ?? written;
  return /^[a-z]+$/.test(written)
    ? written.charAt(0).toUpperCase() + written.slice(1)
    : written || t('text');
}
