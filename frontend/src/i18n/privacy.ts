import english from 'catalogue:en/privacy';
import { section } from './translate.ts';

export const t = section('privacy', english);
