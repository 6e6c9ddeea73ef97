import english from 'catalogue:en/settings';
import { section } from './translate.ts';

export const t = section('settings', english);
