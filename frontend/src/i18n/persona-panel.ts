import english from 'catalogue:en/personaPanel';
import { section } from './translate.ts';

export const t = section('personaPanel', english);
