import english from 'catalogue:en/memoryMode';
import { section } from './translate.ts';

export const t = section('memoryMode', english);
