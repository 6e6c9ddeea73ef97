import english from 'catalogue:en/shared';
import { section } from './translate.ts';

export const t = section('shared', english);
