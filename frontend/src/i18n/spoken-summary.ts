import english from 'catalogue:en/spokenSummary';
import { section } from './translate.ts';

export const t = section('spokenSummary', english);
