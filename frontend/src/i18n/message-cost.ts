import english from 'catalogue:en/messageCost';
import { section } from './translate.ts';

export const t = section('messageCost', english);
