import english from 'catalogue:en/forms';
import { section } from './translate.ts';

export const t = section('forms', english);
