import english from 'catalogue:en/viewer';
import { section } from './translate.ts';

export const t = section('viewer', english);
