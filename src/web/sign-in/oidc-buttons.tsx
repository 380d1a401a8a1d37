import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";

/** Links to sign-in providers, and from them to an address of the application. */
export const ProviderLinks = ({ returnTo }: { readonly returnTo: string }) => {
  const { signIn } = useApplication();
  const { say } = useWords();
  if (signIn.providers.length === 0) return null;
  const to = encodeURIComponent(returnTo);
  return (
    <section className="providers" aria-label={say("provider.ways")}>
      {signIn.providers.map(({ name, label }) => (
        <a key={name} className="button large" href={`/_/providers/${encodeURIComponent(name)}?to=${to}`}>
          {say("provider.with", { provider: label })}
        </a>
      ))}
      {signIn.password && (
        <p className="or">
          <span>{say("provider.or")}</span>
        </p>
      )}
    </section>
  );
};

const reasons = {
  NOT_INVITED: "provider.not.invited",
  PROVIDER_AWAY: "provider.away",
} as const;

/** Shown after a failed sign-in at a provider. */
export const ProviderFailed = ({ code }: { code: string }) => {
  const { say } = useWords();
  const known = code in reasons ? reasons[code as keyof typeof reasons] : "provider.refused";
  return (
    <div className="note bad" role="alert">
      <Icon name="alert" size={18} />
      <div className="grow">
        <p>{say(known)}</p>
      </div>
    </div>
  );
};
