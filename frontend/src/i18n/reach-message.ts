import english from 'catalogue:en/reachMessage';
import { section } from './translate.ts';

export const t = section('reachMessage', english);
