import english from 'catalogue:en/fileStates';
import { section } from './translate.ts';

export const t = section('fileStates', english);
