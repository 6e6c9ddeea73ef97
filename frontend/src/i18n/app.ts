import english from 'catalogue:en/app';
import { section } from './translate.ts';

export const t = section('app', english);
