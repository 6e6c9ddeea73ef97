import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { serve } from '../../src/http/serve.fixture.ts';

/**
 * Builds a Vite project for production into a temporary folder, serves that while `work` runs with its URL, and removes it.
 * @param project folder below the repository's root, which is the working folder of every bench
 * @throws when the build fails, with Vite's output
 */
export async function withBuild<T>(project: string, work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-bench-'));
  try {
    const vite = path.resolve('node_modules/vite/bin/vite.js');
    const args = [vite, 'build', '--outDir', folder, '--emptyOutDir'];
    await promisify(execFile)(process.execPath, args, { cwd: path.resolve(project) });
    const { url, stop } = await serve(express().use(express.static(folder)));
    return await work(url).finally(stop);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
