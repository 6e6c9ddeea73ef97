import english from 'catalogue:en/commandMenu';
import { section } from './translate.ts';

export const t = section('commandMenu', english);
