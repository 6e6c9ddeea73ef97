import english from 'catalogue:en/landing';
import { section } from './translate.ts';

export const t = section('landing', english);
