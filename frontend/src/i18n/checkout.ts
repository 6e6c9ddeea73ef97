import english from 'catalogue:en/checkout';
import { section } from './translate.ts';

export const t = section('checkout', english);
