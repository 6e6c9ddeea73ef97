import english from 'catalogue:en/features';
import { section } from './translate.ts';

export const t = section('features', english);
