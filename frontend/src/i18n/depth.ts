import english from 'catalogue:en/depth';
import { section } from './translate.ts';

export const t = section('depth', english);
