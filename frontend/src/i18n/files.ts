import english from 'catalogue:en/files';
import { section } from './translate.ts';

export const t = section('files', english);
