import { t } from '../../i18n/markdown.ts';

/** Languages that can be coloured, by the name that shiki knows them by. */
const names = [
  'bash',
  'c',
  'clojure',
  'cpp',
  'csharp',
  'css',
  'dart',
  'diff',
  'docker',
  'elixir',
  'go',
  'graphql',
  'haskell',
  'html',
  'ini',
  'java',
  'javascript',
  'json',
  'jsx',
  'kotlin',
  'latex',
  'lua',
  'make',
  'markdown',
  'nginx',
  'php',
  'powershell',
  'python',
  'r',
  'ruby',
  'rust',
  'scala',
  'scss',
  'sql',
  'svelte',
  'swift',
  'terraform',
  'toml',
  'tsx',
  'typescript',
  'vue',
  'xml',
  'yaml',
  'zig',
] as const;

export type GrammarName = (typeof names)[number];

const aliases: Readonly<Record<string, GrammarName>> = {
  'c#': 'csharp',
  'c++': 'cpp',
  cjs: 'javascript',
  console: 'bash',
  cs: 'csharp',
  dockerfile: 'docker',
  ex: 'elixir',
  gql: 'graphql',
  golang: 'go',
  hcl: 'terraform',
  hs: 'haskell',
  js: 'javascript',
  jsonc: 'json',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  shellscript: 'bash',
  svg: 'xml',
  tex: 'latex',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The grammar for what an author wrote after the fence; undefined when there is none. */
export function grammarName(written: string): GrammarName | undefined {
  const name = written.toLowerCase();
  return Object.hasOwn(aliases, name) ? aliases[name] : names.find((known) => known === name);
}

/** How languages are written, where it is not the grammar's name with a capital. */
const titles: Readonly<Partial<Record<GrammarName, string>>> = {
  cpp: 'C++',
  csharp: 'C#',
  css: 'CSS',
  graphql: 'GraphQL',
  html: 'HTML',
  ini: 'INI',
  javascript: 'JavaScript',
  json: 'JSON',
  jsx: 'JSX',
  latex: 'LaTeX',
  php: 'PHP',
  powershell: 'PowerShell',
  scss: 'SCSS',
  sql: 'SQL',
  toml: 'TOML',
  tsx: 'TSX',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
};

/** What a code block is called: `TypeScript` for `ts`, and as it was written when there is no grammar for it. */
export function languageTitle(written: string): string {
  const grammar = grammarName(written);
  if (written.toLowerCase() === 'mermaid') return t('diagram');
  if (!grammar) return written || t('text');
  return titles[grammar] ?? grammar.charAt(0).toUpperCase() + grammar.slice(1);
}
