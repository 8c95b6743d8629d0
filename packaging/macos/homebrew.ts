import { type Manifest, SUMMARY } from "../manifest.ts";

/** What Homebrew calls systems and processors, and how the names of their executables end. */
const SYSTEMS = [
  { block: "on_macos", suffix: "macos" },
  { block: "on_linux", suffix: "linux" },
];
const PROCESSORS = [
  { block: "on_arm", suffix: "arm64" },
  { block: "on_intel", suffix: "x64" },
];

/** A formula for a tap, for macOS and Linux: https://docs.brew.sh/Formula-Cookbook */
export const HOMEBREW: Manifest = {
  name: "Homebrew",
  needs: (version) =>
    SYSTEMS.flatMap((system) =>
      PROCESSORS.map(({ suffix }) => `marquee-${version}-${system.suffix}-${suffix}`),
    ),
  textsFor({ version, homepage, address, sha256 }) {
    const blocks = SYSTEMS.map((system) => {
      const files = PROCESSORS.map(({ block, suffix }) => {
        const name = `marquee-${version}-${system.suffix}-${suffix}`;
        return `    ${block} do
      url "${address(name)}"
      sha256 "${sha256(name)}"
    end
`;
      });
      return `  ${system.block} do\n${files.join("")}  end\n`;
    });
    const formula = `class Marquee < Formula
  desc "${SUMMARY}"
  homepage "${homepage}"
  version "${version}"
  license "MIT"

${blocks.join("\n")}
  def install
    bin.install Dir["marquee-*"].first => "marquee"
  end

  service do
    run [opt_bin/"marquee", "serve", "--open", "never"]
    keep_alive crashed: true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/marquee --version")
  end
end
`;
    return { "marquee.rb": formula };
  },
};
