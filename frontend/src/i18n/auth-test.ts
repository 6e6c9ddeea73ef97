import english from 'catalogue:en/authTest';
import { section } from './translate.ts';

export const t = section('authTest', english);
