import english from 'catalogue:en/storageUse';
import { section } from './translate.ts';

export const t = section('storageUse', english);
