import english from 'catalogue:en/plans';
import { section } from './translate.ts';

export const t = section('plans', english);
