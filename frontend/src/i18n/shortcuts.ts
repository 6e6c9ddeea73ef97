import english from 'catalogue:en/shortcuts';
import { section } from './translate.ts';

export const t = section('shortcuts', english);
