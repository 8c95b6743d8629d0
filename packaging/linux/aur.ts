import { type Manifest, SUMMARY } from "../manifest.ts";
import { debFor } from "./deb.ts";

/** Arch Linux's name for a processor, and Debian's. */
const ARCHITECTURES = [
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
] as const;

/**
 * A build script for the package `marquee-bin` of Arch Linux's users. It unpacks the packages for
 * Debian, which have all that is installed. https://wiki.archlinux.org/title/PKGBUILD
 */
export const AUR: Manifest = {
  name: "PKGBUILD",
  needs: (version) => ARCHITECTURES.map(([, debian]) => debFor(debian).nameOf(version)),
  textsFor({ version, homepage, address, sha256 }) {
    const sources = ARCHITECTURES.map(([arch, debian]) => {
      const name = debFor(debian).nameOf(version);
      return `source_${arch}=("${address(name)}")\nsha256sums_${arch}=("${sha256(name)}")\n`;
    });
    const script = `pkgname=marquee-bin
# No hyphen is allowed here, and "1.2.0rc.1" comes before "1.2.0".
pkgver=${version.replaceAll("-", "")}
pkgrel=1
pkgdesc="${SUMMARY}"
arch=(${ARCHITECTURES.map(([arch]) => `"${arch}"`).join(" ")})
url="${homepage}"
license=("MIT" "OFL-1.1")
depends=("glibc" "hicolor-icon-theme")
provides=("marquee")
conflicts=("marquee")
# The program's own code is at its end, and would be cut off.
options=("!strip")
${sources.join("")}
package() {
  bsdtar -xf data.tar.xz -C "$pkgdir"
  rm -r "$pkgdir/usr/share/lintian"
  install -Dm644 "$pkgdir/usr/share/doc/marquee/copyright" "$pkgdir/usr/share/licenses/$pkgname/LICENSE"
}
`;
    return { PKGBUILD: script };
  },
};
