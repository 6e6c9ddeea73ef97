import english from 'catalogue:en/feedbackReason';
import { section } from './translate.ts';

export const t = section('feedbackReason', english);
