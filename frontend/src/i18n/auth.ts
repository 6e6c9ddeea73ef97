import english from 'catalogue:en/auth';
import { section } from './translate.ts';

export const t = section('auth', english);
