import english from 'catalogue:en/personaChoice';
import { section } from './translate.ts';

export const t = section('personaChoice', english);
