import { describe, expect, it } from 'vitest';
import { downloadOptions } from './download.ts';

describe('a download', () => {
  const answer = (type: string, kind: 'text' | 'image' | 'pdf' | 'other', download = false) => {
    const options = downloadOptions({ name: 'x', type, kind }, { download });
    return `${options.disposition.split(';')[0]} ${options.type}`;
  };

  it('shows raster images, PDF and plain text', () => {
    expect(answer('image/png', 'image')).toBe('inline image/png');
    expect(answer('application/pdf', 'pdf')).toBe('inline application/pdf');
    expect(answer('text/plain', 'text')).toBe('inline text/plain; charset=utf-8');
  });

  it('shows nothing for a requested download', () => {
    expect(answer('image/png', 'image', true)).toBe('attachment image/png');
  });

  it('gives no runnable type to content that could run', () => {
    for (const type of [
      'image/svg+xml',
      'text/html',
      'application/xhtml+xml',
      'text/xml',
      'text/javascript',
      'application/vnd.mozilla.xul+xml',
      'application/vnd.wap.xhtml+xml',
    ])
      expect(answer(type, 'text')).toBe('attachment application/octet-stream');
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(answer(docx, 'other')).toBe(`attachment ${docx}`);
  });
});
