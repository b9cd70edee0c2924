import { Link } from 'wouter';
import { LoginForm } from '../parts/login-form.tsx';
import { operator, operatorSession } from './gateway.ts';

/** The way in for operators, with the admin token. */
export function OperatorLogin() {
  return (
    <LoginForm
      home="/operator"
      whose="Operator"
      label="Admin token"
      hasEnded={operatorSession.hasEnded}
      open={async (token) => {
        operatorSession.note(await operator.sessions.open(token));
      }}
      advice="Invalid admin token. It is the ADMIN_TOKEN of the api."
    >
      <p>
        The token is sent once and never stored in this browser: an HttpOnly cookie keeps you logged
        in for up to eight hours. After <code>npm start</code> it is <code>admin_token</code> in{' '}
        <code>.data/demo.json</code>.
      </p>
      <p>
        Looking for your videos? <Link href="/">Log in with an API key</Link>
      </p>
    </LoginForm>
  );
}
