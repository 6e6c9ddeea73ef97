import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Section } from './section.tsx';

/** Shown to guests in place of the profile. */
export const GuestSection = () => (
  <Section title="Account" description="You are trying STOLAS as a guest.">
    <p className="text-sm">
      Create an account to keep your conversations. Without one they are deleted 24 hours after your
      last visit.
    </p>
    <Button asChild variant="primary" className="justify-self-start">
      <Link href="/login">Create Account</Link>
    </Button>
  </Section>
);
