// Vitest's set-up of each test file: its resources end with it.
import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

afterAll(cleanUp);
