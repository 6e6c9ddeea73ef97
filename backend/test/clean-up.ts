// Vitest's set-up of each test file: what a file has started ends with it.
import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

afterAll(cleanUp);
