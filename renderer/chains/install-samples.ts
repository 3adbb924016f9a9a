import i18next from 'i18next';
import { api } from '../api/client.ts';
import { useActions } from '../stores/actions-store.ts';
import { useChains } from '../stores/chains-store.ts';
import { useSkillsStore } from '../stores/skills-store.ts';
import { tell } from '../ui/toast.ts';

/** Copies the samples into the data home and says what came; never overwrites. Throws what the call threw. */
export async function installSamples(): Promise<void> {
  const { chains, skills } = await api.app.installSamples();
  await Promise.all([
    useChains.getState().refresh(),
    useSkillsStore.getState().refresh(),
    useActions.getState().refresh(),
  ]);
  tell({
    message:
      chains.length + skills.length === 0
        ? i18next.t('chains:samplesThere')
        : i18next.t('chains:samplesInstalled', {
            chains: i18next.t('chains:count', { count: chains.length }),
            skills: i18next.t('chains:skills', { count: skills.length }),
          }),
  });
}
