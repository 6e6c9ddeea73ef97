import english from 'catalogue:en/billing';
import { section } from './translate.ts';

export const t = section('billing', english);
