import type { User } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Row, Section } from './section.tsx';

const NAMES = { starter: 'Starter Plan', pro: 'Pro Plan' };

function planOf({ subscriptionPlan, subscriptionStatus, demo }: User) {
  if (subscriptionPlan) return { label: NAMES[subscriptionPlan], value: 'Billed monthly' };
  if (subscriptionStatus !== 'guest')
    return { label: 'No Active Plan', value: 'Choose one to chat' };
  const left = demo && `${demo.messagesLeft} of ${demo.messageLimit} messages left`;
  return { label: 'Demo mode', value: left ?? 'Limited features' };
}

export function PlanSection({ user }: { user: User }) {
  return (
    <Section title="Plan">
      <Row {...planOf(user)}>
        <Button asChild>
          <Link href="/subscription?change=true">
            {user.subscriptionPlan ? 'Change Plan' : 'Choose a Plan'}
          </Link>
        </Button>
      </Row>
    </Section>
  );
}
