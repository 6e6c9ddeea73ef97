import english from 'catalogue:en/artifacts';
import { section } from './translate.ts';

export const t = section('artifacts', english);
