// Films of a grid play while they are seen, and by hand where the reader wants less motion.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const seen = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !still.matches) target.play().catch(() => {});
      else target.pause();
    }
  },
  { threshold: 0.6 },
);
for (const film of document.querySelectorAll(".films video")) seen.observe(film);
