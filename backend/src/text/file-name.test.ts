import { describe, expect, it } from 'vitest';
import { cleanFileName, contentDisposition } from './file-name.ts';

describe('names of files', () => {
  it('lose control characters, direction overrides and path separators', () => {
    expect(cleanFileName('../../etc/pass\nwd')).toBe('.._.._etc_passwd');
    expect(cleanFileName('C:\\notes.txt')).toBe('C:_notes.txt');
    expect(cleanFileName('in\u202egpj.exe\u0000')).toBe('ingpj.exe');
    expect(cleanFileName('half \ud800 pair.txt')).toBe('half \ufffd pair.txt');
  });

  it('are "File" when nothing is left', () => {
    for (const name of ['', '  ', '..', '\u200b', '/']) expect(cleanFileName(name)).toBe('File');
  });

  it('are cut before the extension, between characters', () => {
    const name = cleanFileName(`${'🦉'.repeat(300)}.pdf`);
    expect(Array.from(name)).toHaveLength(200);
    expect(name.endsWith('🦉.pdf')).toBe(true);
    expect(Array.from(cleanFileName(`a.${'b'.repeat(300)}`))).toHaveLength(200);
  });

  it('cannot add headers or parameters to a Content-Disposition', () => {
    const header = contentDisposition('attachment', `a"; filename=b\r\nX: y\\'é%41*.txt`);
    expect(header).toBe(
      `attachment; filename="a_; filename=b__X: y_'__41*.txt"; filename*=UTF-8''a%22%3B%20filename%3Db%0D%0AX%3A%20y%5C%27%C3%A9%2541%2A.txt`,
    );
  });
});
