import english from 'catalogue:en/dataExport';
import { section } from './translate.ts';

export const t = section('dataExport', english);
