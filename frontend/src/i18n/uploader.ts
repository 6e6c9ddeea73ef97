import english from 'catalogue:en/uploader';
import { section } from './translate.ts';

export const t = section('uploader', english);
