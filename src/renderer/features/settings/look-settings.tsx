import { motion, motions, textSize, textSizes, theme, themes } from '../../lib/window/preferences.ts';
import { useStored } from '../../lib/window/stored-value.ts';
import { t } from '../../lib/text/translate.ts';
import { Choice, Group } from '../../ui/controls/settings-parts.tsx';

export function LookSettings() {
  const [chosenTheme, setTheme] = useStored(theme);
  const [size, setSize] = useStored(textSize);
  const [chosenMotion, setMotion] = useStored(motion);
  return (
    <Group title={t('settings.look')}>
      <Choice
        label={t('settings.theme')}
        value={chosenTheme}
        options={themes.map((value) => ({ value, text: t(`settings.theme.${value}`) }))}
        onChange={setTheme}
      />
      <Choice
        label={t('settings.textSize')}
        value={size}
        options={textSizes.map((value) => ({ value, text: t(`settings.textSize.${value}`) }))}
        onChange={setSize}
      />
      <Choice
        label={t('settings.motion')}
        value={chosenMotion}
        options={motions.map((value) => ({ value, text: t(`settings.motion.${value}`) }))}
        onChange={setMotion}
      />
    </Group>
  );
}
