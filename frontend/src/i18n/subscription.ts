import english from 'catalogue:en/subscription';
import { section } from './translate.ts';

export const t = section('subscription', english);
