import { Link } from 'wouter';
import { gateway } from '../gateway/client.ts';
import { customerSession } from '../gateway/session.ts';
import { LoginForm } from '../parts/login-form.tsx';

/** The way in for customers, with a key. */
export function LoginPage() {
  return (
    <LoginForm
      home="/playground"
      label="API key"
      placeholder="sk-gw-…"
      hasEnded={customerSession.hasEnded}
      open={async (apiKey) => {
        customerSession.note(await gateway.sessions.open(apiKey));
      }}
      advice="Invalid API key. Check that you copied all of it, or ask your operator for a new one."
    >
      <p>
        The key is sent once and never stored in this browser: an HttpOnly cookie keeps you logged
        in for up to eight hours. <code>npm start</code> prints a key; operators create others with{' '}
        <code>npm run admin -- key create</code>.
      </p>
      <p>
        You run this gateway? <Link href="/operator">Log in as an operator</Link>
      </p>
    </LoginForm>
  );
}
